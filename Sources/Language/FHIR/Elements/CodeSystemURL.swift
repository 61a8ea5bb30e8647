/// URLs of code systems that independent modules must spell alike.
public enum CodeSystemURL {
    /// HealthKit's identifiers, as in Apple's documentation.
    public static let healthKit = "http://developer.apple.com/documentation/healthkit"
    /// The code system of the IoMT FHIR connector: for its type names and value names, and for the identifiers of the
    /// Observations into which it groups readings.
    public static let deviceConnector = "https://azure.microsoft.com/en-us/services/iomt-fhir-connector/"
}
