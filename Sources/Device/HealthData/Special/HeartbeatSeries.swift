import FHIR
import Foundation

/// Beat-to-beat times, from which RR intervals are computed: HealthKit's HKHeartbeatSeriesSample, or the list of beats
/// in an export's record of the heart rate variability.
public struct HeartbeatSeries: SpecialRecord {
    public var start: HealthInstant
    /// Seconds from the start to each beat.
    public let offsets: SampledSeries
    /// 1 if beats before this beat were missed, otherwise 0; nil if the source does not report it.
    public let gaps: SampledSeries?
    /// The rate of each beat, in beats per minute; nil if the source does not report it.
    public let rates: SampledSeries?
    /// Seconds from the start to the last beat.
    public let length: Double
    public var origin: SpecialOrigin

    /// A beat.
    public struct Beat: Sendable, Hashable {
        /// Seconds from the start.
        public var offset: Double
        /// Whether beats before it were missed.
        public var isPrecededByGap: Bool?
        /// Rate in beats per minute.
        public var rate: JSONNumber?

        public init(offset: Double, isPrecededByGap: Bool? = nil, rate: JSONNumber? = nil) {
            self.offset = offset
            self.isPrecededByGap = isPrecededByGap
            self.rate = rate
        }
    }

    /// Maximum number of beats. HealthKit's limit is 50 000 beats per series.
    public static let maximumBeats = 50_000

    /// - Returns: nil if there is no beat or more than ``maximumBeats``, or if an offset is smaller than the one before
    ///   it, negative or not finite.
    public init?(start: HealthInstant, beats: [Beat], origin: SpecialOrigin) {
        guard (1...Self.maximumBeats).contains(beats.count) else { return nil }
        var offsets = SampledSeries()
        var gaps = SampledSeries()
        var rates = SampledSeries()
        var last = 0.0
        for beat in beats {
            guard beat.offset.isFinite, beat.offset >= last, beat.offset < 1e6 else { return nil }
            last = beat.offset
            offsets.append((beat.offset * 1000).rounded() / 1000)
            gaps.append(beat.isPrecededByGap.map { JSONNumber($0 ? 1 : 0) })
            rates.append(beat.rate)
        }
        self.start = start
        self.offsets = offsets
        self.gaps = gaps.gaps == gaps.count ? nil : gaps
        self.rates = rates.gaps == rates.count ? nil : rates
        length = last
        self.origin = origin
    }

    public var kind: SpecialKind { .heartbeatSeries }

    public var time: SpecialTime {
        var end = start
        end.seconds += Int64(length.rounded())
        return .period(start, end)
    }

    public var fingerprint: SampleFingerprint {
        var content = RecordContent(self)
        content.add(offsets.data)
        content.add(gaps?.data)
        content.add(rates?.data)
        return content.fingerprint
    }

    /// Returns the observation: SampledData series whose elements correspond by index. Beats have no constant period,
    /// which SampledData requires: the mean period is written, and the offsets contain the exact times.
    public func observation(subject: String?, device: JSON? = nil, extensions: [JSON] = []) -> Observation {
        var parts = ObservationParts()
        let period = SampledSeries.meanPeriod(seconds: length, count: offsets.count)
        parts.add(
            ComponentCode.healthKit(
                "HKHeartbeatSeriesSample.timeSinceSeriesStart", "Time of Each Beat Since the Start"),
            type: "SampledData", value: offsets.sampledData(SpecialMeasure.seconds.unit, period: period))
        if let gaps {
            parts.add(
                ComponentCode.healthKit("HKHeartbeatSeriesSample.precededByGap", "Beats Missed Before (1 Yes, 0 No)"),
                type: "SampledData", value: gaps.sampledData(HealthUnit("1", "1"), period: period))
        }
        if let rates {
            parts.add(
                ComponentCode.heartRate, type: "SampledData",
                value: rates.sampledData(SpecialMeasure.beats.unit, period: period))
        }
        return observation(subject: subject, device: device, extensions: extensions, parts)
    }

    public func resource(subject: String?, device: JSON?, extensions: [JSON]) -> JSON {
        observation(subject: subject, device: device, extensions: extensions).json
    }
}

extension SampledSeries {
    /// Returns the mean interval in whole milliseconds; 1000 if there is only one element.
    static func meanPeriod(seconds: Double, count: Int) -> JSONNumber {
        guard count > 1, seconds > 0 else { return JSONNumber(1000) }
        return JSONNumber(max(1, Int((seconds * 1000 / Double(count - 1)).rounded())))
    }
}
