DROP VIEW results; CREATE TABLE results (a);
