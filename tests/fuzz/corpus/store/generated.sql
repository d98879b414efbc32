DROP TABLE seconds; CREATE TABLE seconds (id INTEGER PRIMARY KEY, microseconds AS (id / 0));
