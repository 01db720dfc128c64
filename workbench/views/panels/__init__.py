"""Interactive panels: plain widgets over the same values the text views show.

Each panel is a `Panel`: it has a widget, a text twin (`print(panel)`), and shows its own
errors. ipywidgets is imported when a panel is made, never before.
"""
