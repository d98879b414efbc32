UPDATE outputs SET size = 268435455, content = zeroblob(500);
