DELETE FROM subjects; DELETE FROM texts;
