"""Random symbols of packages renamed, and the checks of these before and after."""
