UPDATE outputs SET content = substr(content, 1, 9) WHERE id = 2; UPDATE outputs SET size = size - 1 WHERE id = 3; UPDATE outputs SET size = 'many', dictionary = 'none' WHERE id = 4;
