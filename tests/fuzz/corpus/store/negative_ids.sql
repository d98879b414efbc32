UPDATE points SET id = -id; UPDATE texts SET id = 0 WHERE id = 1;
