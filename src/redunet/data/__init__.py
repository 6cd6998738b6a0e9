"""Public and made-up data sets: mixtures, waves, tables, images; for files of users see ``redunet/cli/files``."""
