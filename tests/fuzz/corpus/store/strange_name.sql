UPDATE columns SET name = X'ff22' WHERE number = 3; UPDATE columns SET name = 'a"b' WHERE number = 4; UPDATE columns SET kind = 77 WHERE number = 5;
