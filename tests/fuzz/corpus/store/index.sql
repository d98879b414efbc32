CREATE UNIQUE INDEX i ON points (subject); CREATE INDEX j ON points (length(key));
