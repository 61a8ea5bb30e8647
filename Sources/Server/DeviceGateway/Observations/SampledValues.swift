import Core

/// Values at even intervals in the format of `SampledData.data`
/// (<https://hl7.org/fhir/R4/datatypes.html#SampledData>).
enum SampledValues {
    /// Returns the data of a time range: one value for each interval that begins in it, the last if there are several,
    /// `E` if there is none.
    ///
    /// - Parameters:
    ///   - values: the values in the order of their times. Those outside of the range are ignored.
    ///   - end: the last tick of the range.
    ///   - period: the length of an interval in ticks, above 0.
    static func data(
        of values: [(time: MeasurementTime, text: String)], from start: MeasurementTime, through end: MeasurementTime,
        period: Int64
    ) -> String {
        guard end >= start else { return "" }
        var slots = [String?](repeating: nil, count: Int((end.ticks - start.ticks) / period) + 1)
        for (time, text) in values where time >= start && time <= end {
            slots[Int((time.ticks - start.ticks) / period)] = text
        }
        return slots.map { $0 ?? "E" }.joined(separator: " ")
    }
}
