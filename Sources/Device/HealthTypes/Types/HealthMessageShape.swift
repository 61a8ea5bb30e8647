/// The form in which HealthKitOnFhir's messages name a value of a type: `{"heartRate": 66, "unit": "beats/min"}`.
///
/// <https://github.com/microsoft/healthkit-on-fhir>
public struct HealthMessageShape: Sendable, Hashable {
    /// The member that has the value, for example `heartRate`.
    public let valueKey: String
    /// The member that has the unit: `unit`, but for blood pressures.
    public let unitKey: String
    /// The unit as the message has it, for example `beats/min`.
    public let unit: String
    /// HealthKit's unit that the value is brought to.
    public let healthKitUnit: HealthKitUnit
}
