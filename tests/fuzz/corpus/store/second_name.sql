INSERT INTO columns (kind, name, meaning) VALUES (0, 'time', 'x'), (2, 'Time', ''), (2, 'time', '');
