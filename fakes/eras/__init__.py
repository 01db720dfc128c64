"""How servers of each era behave when nothing is scripted."""
