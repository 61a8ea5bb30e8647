import Core

/// Values at even intervals, as `SampledData.data` has them (<https://hl7.org/fhir/R4/datatypes.html#SampledData>).
enum SampledValues {
    /// The data of a stretch of time: one value for each interval that begins in it, of several in one the last, `E` where
    /// there is none.
    ///
    /// - Parameters:
    ///   - values: in the order of their times. What lies outside of the stretch is left out, and keeps nothing else out.
    ///   - end: the last tick of the stretch.
    ///   - period: the ticks of an interval, above 0.
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
