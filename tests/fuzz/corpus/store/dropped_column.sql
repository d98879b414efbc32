DELETE FROM columns WHERE number = 12; DROP VIEW results; ALTER TABLE points DROP COLUMN c12;
