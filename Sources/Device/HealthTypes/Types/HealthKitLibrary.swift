import FHIR

/// Other libraries that convert HealthKit's samples to Observations.
public enum HealthKitLibrary {
    /// The system of HealthKitToFhir's codes and identifiers (<https://github.com/microsoft/healthkit-to-fhir>).
    public static let healthKitToFhirSystem = "com.apple.health"

    /// Returns whether an Observation was made by a library that writes HealthKit's percent, a fraction from 0 to 1,
    /// with UCUM's `%`. HealthKitToFhir is recognised by its code system, HealthKitOnFHIR by its identifier, which has
    /// an id and no value (<https://github.com/StanfordBDHG/HealthKitOnFHIR>).
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
