import FHIR
import FHIRValidation
import HealthData
import InformedConsent

/// The extensions and code systems that Tributary's resources bear and nobody else defines: served under `/fhir` to
/// everybody, known to `tributary fhir validate`, and written to `Definitions/`.
public enum PublishedDefinitions {
    /// The extensions.
    public static let extensions: [StructureDefinition] = (ConsentDefinitions.extensions + HealthDefinitions.extensions)
        .sorted { ($0.id ?? "") < ($1.id ?? "") }

    /// The extensions as validation knows them.
    public static let namespace = ProfileNamespace(prefix: "urn:tributary:", profiles: profiles)
    private static let profiles = ProfileNamespace.Profiles(extensions.map(\.object))

    /// The code systems.
    public static let codeSystems: [CodeSystem] = [HealthDefinitions.components, ValidationReport.codeSystem]

    /// All of them, by type and id.
    public static var all: [JSONObject] { codeSystems.map(\.object) + extensions.map(\.object) }
}
