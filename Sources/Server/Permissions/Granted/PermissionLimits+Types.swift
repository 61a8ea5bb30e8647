import AccessPolicy
import FHIR

extension PermissionLimits {
    /// The resource types of FHIR R4.
    static let knownTypes = Set(TypeModel.r4.resourceTypes)
}
