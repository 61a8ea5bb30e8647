import FHIR

/// The libraries of others that make Observations of HealthKit's samples.
public enum HealthKitLibrary {
    /// The system of HealthKitToFhir's codes and identifiers (<https://github.com/microsoft/healthkit-to-fhir>).
    public static let healthKitToFhirSystem = "com.apple.health"

    /// Whether an Observation is marked as made by a library that writes HealthKit's percent, a fraction from 0 to 1, under
    /// UCUM's `%`: by HealthKitToFhir's system of codes, or by HealthKitOnFHIR's identifier, which has an id and no value
    /// (<https://github.com/StanfordBDHG/HealthKitOnFHIR>).
    public static func writesFractions(_ observation: Observation) -> Bool {
        let systems = (observation.code?.coding ?? []).compactMap(\.system)
        if systems.contains(healthKitToFhirSystem) { return true }
        guard systems.contains(HealthCodeSystem.healthKit) else { return false }
        return (observation.resource["identifier"]?.array ?? []).contains { identifier in
            guard let identifier = identifier.object, identifier["id"]?.string != nil else { return false }
            return identifier["system"] == nil && (identifier["value"]?.string ?? "").isEmpty
        }
    }
}
