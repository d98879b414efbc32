UPDATE points SET status = 'x', check_failed = 3.5, subject = 'none', parts = NULL WHERE id = 2; UPDATE points SET output = NULL WHERE id = 3;
