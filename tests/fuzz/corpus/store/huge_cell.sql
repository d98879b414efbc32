UPDATE subjects SET sweep = zeroblob(300000); UPDATE points SET stopped_by = hex(randomblob(9000));
