UPDATE outputs SET content = X'00' || X'ffffffff0f' || zeroblob(500);
