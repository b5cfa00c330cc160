"""What the walks of Java, Kotlin and C# share: classes, their members, and what a bare name means in them."""
