UPDATE outputs SET dictionary = 0 WHERE id = 2; UPDATE dictionaries SET text = 77; UPDATE texts SET text = text || '}' WHERE id = (SELECT dictionary FROM outputs WHERE id = 3);
