/// Code systems that modules which know nothing of each other must spell alike.
public enum CodeSystemURL {
    /// HealthKit's identifiers, as Apple's documentation names them.
    public static let healthKit = "http://developer.apple.com/documentation/healthkit"
}
