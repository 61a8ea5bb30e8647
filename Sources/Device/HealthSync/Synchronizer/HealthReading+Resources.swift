import FHIR
import HealthData

extension HealthReading {
    /// Returns the sample as a synchronization without converters of the app hands it to its stores.
    ///
    /// ```swift
    /// let resources = try reading.outgoing(of: "HKQuantityTypeIdentifierHeartRate", in: selection).resources
    /// ```
    /// - Parameters:
    ///   - type: HealthKit's identifier of the type.
    ///   - selection: the person, the selected data and the units.
    /// - Throws: ``HealthData/SkipReason``: the reason for which the sample cannot be converted, or `not-selected` for
    ///   a sample that the selection does not include.
    public func outgoing(of type: String, in selection: HealthSelection) throws -> OutgoingSample {
        var conversion = SampleConversion(selection: selection, converters: [:])
        guard let sample = try conversion.outgoing(self, of: type) else { throw SkipReason.notSelected }
        return sample
    }
}
