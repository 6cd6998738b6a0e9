"""What a class measures a sample by: one file for each measure."""
