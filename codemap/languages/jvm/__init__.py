"""What Java and Kotlin share: packages and imports, the standard library's containers, where libraries lie."""
