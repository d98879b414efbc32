DELETE FROM columns WHERE name = 'time';
