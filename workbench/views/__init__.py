"""What shows: values in, tables, pages and terminal output out.

The only place for pandas, IPython, ipywidgets and rich, each imported inside the function
that needs it, so that importing a view costs nothing. Server text is escaped in every one.

Source: design sections 3 and 7.10.
"""
