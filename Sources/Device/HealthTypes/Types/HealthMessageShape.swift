/// The members that represent a value of a type in a message of HealthKitOnFhir: `{"heartRate": 66, "unit":
/// "beats/min"}`.
///
/// <https://github.com/microsoft/healthkit-on-fhir>
public struct HealthMessageShape: Sendable, Hashable {
    /// The member that contains the value, for example `heartRate`.
    public let valueKey: String
    /// The member that contains the unit: `unit`, except for blood pressures.
    public let unitKey: String
    /// The unit in the message, for example `beats/min`.
    public let unit: String
    /// HealthKit's unit of the value.
    public let healthKitUnit: HealthKitUnit
}
