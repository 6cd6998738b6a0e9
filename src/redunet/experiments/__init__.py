"""The paper's figures and tables, one small file each, with the paper's values beside ours."""
