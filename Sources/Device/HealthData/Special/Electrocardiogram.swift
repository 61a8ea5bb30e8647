import FHIR
import Foundation

/// An electrocardiogram of one lead: HealthKit's HKElectrocardiogram.
public struct Electrocardiogram: SpecialRecord {
    /// The watch's classification: HealthKit's HKElectrocardiogram.Classification.
    public enum Classification: Int, Sendable, CaseIterable {
        /// There is no classification.
        case notSet = 0
        /// Sinus rhythm.
        case sinusRhythm
        /// Atrial fibrillation.
        case atrialFibrillation
        /// Not conclusive: the heart rate is too low.
        case inconclusiveLowHeartRate
        /// Not conclusive: the heart rate is too high.
        case inconclusiveHighHeartRate
        /// Not conclusive: the recording is poor.
        case inconclusivePoorReading
        /// Not conclusive, for another reason.
        case inconclusiveOther
        /// HealthKit itself reports a classification that the system's version does not support.
        case unrecognized = 100
    }

    /// Whether the person reported symptoms: HealthKit's HKElectrocardiogram.SymptomsStatus.
    public enum SymptomsStatus: Int, Sendable, CaseIterable {
        /// The person was not asked.
        case notSet = 0
        /// There were no symptoms.
        case absent
        /// There were symptoms.
        case present
    }

    /// The voltages in the unit of the source.
    public struct Voltages: Sendable, Hashable {
        /// The numbers.
        public var series: SampledSeries
        /// The factor from the numbers to microvolts: 1, or 1000 for a source in millivolts.
        public var microvoltFactor: Int

        public init(_ series: SampledSeries, microvoltFactor: Int = 1) {
            self.series = series
            self.microvoltFactor = microvoltFactor
        }
    }

    public var start: HealthInstant
    /// The classification; nil if the source has none.
    public var classification: Classification?
    /// Whether the source has a classification text that is unknown.
    public var hasUnknownClassification: Bool
    /// Average heart rate in beats per minute.
    public var averageHeartRate: JSONNumber?
    /// The symptoms; nil if the source has none.
    public var symptoms: SymptomsStatus?
    /// Sampling frequency in hertz, with the digits of the source: a watch that reports 512 can give 511.562.
    public let samplingFrequency: JSONNumber
    public let voltages: Voltages
    public var origin: SpecialOrigin

    /// - Returns: nil if there is no voltage or the frequency is not from 1 Hz to 100 kHz.
    public init?(
        start: HealthInstant, samplingFrequency: JSONNumber, voltages: Voltages,
        classification: Classification? = nil, hasUnknownClassification: Bool = false,
        averageHeartRate: JSONNumber? = nil, symptoms: SymptomsStatus? = nil,
        origin: SpecialOrigin
    ) {
        guard let period = Self.period(samplingFrequency), !voltages.series.isEmpty else { return nil }
        self.start = start
        self.samplingFrequency = samplingFrequency
        self.voltages = voltages
        self.classification = classification
        self.hasUnknownClassification = hasUnknownClassification && classification == nil
        self.averageHeartRate = averageHeartRate
        self.symptoms = symptoms
        self.origin = origin
        self.period = period
    }

    /// Milliseconds between two voltages: 1000 / Hz, exact (1.953125 for 512 Hz) or rounded to 18 digits.
    public let period: JSONNumber

    public var kind: SpecialKind { .electrocardiogram }

    /// The period from the start to the last voltage, rounded to seconds.
    public var time: SpecialTime {
        let seconds = Double(voltages.series.count) * period.double / 1000
        var end = start
        end.seconds += Int64(seconds.rounded())
        return .period(start, end)
    }

    public var fingerprint: SampleFingerprint {
        var content = RecordContent(self)
        content.add(samplingFrequency.text)
        content.add(voltages.microvoltFactor)
        content.add(voltages.series.data)
        return content.fingerprint
    }

    private static func period(_ frequency: JSONNumber) -> JSONNumber? {
        guard let hertz = frequency.decimal, hertz >= 1, hertz <= 100_000 else { return nil }
        return ExactDecimal.linear(1000, add: 0, multiply: 1, divide: hertz)
    }
}

extension Electrocardiogram.Classification {
    /// HealthKit's case with its display text.
    public var option: HealthOption {
        let (name, words) =
            switch self {
            case .notSet: ("NotSet", "Not set")
            case .sinusRhythm: ("SinusRhythm", "Sinus rhythm")
            case .atrialFibrillation: ("AtrialFibrillation", "Atrial fibrillation")
            case .inconclusiveLowHeartRate: ("InconclusiveLowHeartRate", "Inconclusive, low heart rate")
            case .inconclusiveHighHeartRate: ("InconclusiveHighHeartRate", "Inconclusive, high heart rate")
            case .inconclusivePoorReading: ("InconclusivePoorReading", "Inconclusive, poor reading")
            case .inconclusiveOther: ("InconclusiveOther", "Inconclusive, other")
            case .unrecognized: ("Unrecognized", "Unrecognized")
            }
        return HealthOption("HKElectrocardiogramClassification" + name, words, aliases: [String(rawValue)])
    }
}

extension Electrocardiogram.SymptomsStatus {
    /// HealthKit's case with its display text.
    public var option: HealthOption {
        let (name, words) =
            switch self {
            case .notSet: ("NotSet", "Not set")
            case .absent: ("None", "None")
            case .present: ("Present", "Present")
            }
        return HealthOption("HKElectrocardiogramSymptomsStatus" + name, words, aliases: [String(rawValue)])
    }
}
