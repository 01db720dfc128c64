"""Tests in a real JupyterLab; a package, so that its fixtures end before other tests begin."""
