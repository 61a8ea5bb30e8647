import FHIR
import FHIRValidation
import HealthData
import InformedConsent

/// The extensions and code systems that Tributary defines: served publicly below `/fhir`, used by `tributary fhir
/// validate`, and written to `Definitions/`.
package enum PublishedDefinitions {
    /// The extensions.
    package static let extensions: [StructureDefinition] =
        (ConsentDefinitions.extensions + HealthDefinitions.extensions)
        .sorted { ($0.id ?? "") < ($1.id ?? "") }

    /// The extensions in the form for validation.
    package static let namespace = ProfileNamespace(prefix: "urn:tributary:", profiles: profiles)
    private static let profiles = ProfileNamespace.Profiles(extensions.map(\.object))

    /// The code systems.
    package static let codeSystems: [CodeSystem] = [HealthDefinitions.components, ValidationReport.codeSystem]

    /// All definitions, by type and id.
    package static var all: [JSONObject] { codeSystems.map(\.object) + extensions.map(\.object) }
}
