/// Code systems that modules which know nothing of each other must spell alike.
public enum CodeSystemURL {
    /// HealthKit's identifiers, as Apple's documentation names them.
    public static let healthKit = "http://developer.apple.com/documentation/healthkit"
    /// The IoMT FHIR connector's: of its type names and value names, and of the identifiers of the Observations that it
    /// groups readings into.
    public static let deviceConnector = "https://azure.microsoft.com/en-us/services/iomt-fhir-connector/"
}
