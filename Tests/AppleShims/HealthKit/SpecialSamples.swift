@_exported import CoreLocation
import Foundation

/// objc: class HKElectrocardiogram
public final class HKElectrocardiogram: HKSample, @unchecked Sendable {
    public enum Classification: Int, Sendable {
        case notSet = 0  // objc: HKElectrocardiogramClassificationNotSet
        case sinusRhythm = 1  // objc: HKElectrocardiogramClassificationSinusRhythm
        case atrialFibrillation = 2  // objc: HKElectrocardiogramClassificationAtrialFibrillation
        case inconclusiveLowHeartRate = 3  // objc: HKElectrocardiogramClassificationInconclusiveLowHeartRate
        case inconclusiveHighHeartRate = 4  // objc: HKElectrocardiogramClassificationInconclusiveHighHeartRate
        case inconclusivePoorReading = 5  // objc: HKElectrocardiogramClassificationInconclusivePoorReading
        case inconclusiveOther = 6  // objc: HKElectrocardiogramClassificationInconclusiveOther
        case unrecognized = 100  // objc: HKElectrocardiogramClassificationUnrecognized
    }
    public enum SymptomsStatus: Int, Sendable {
        case notSet = 0  // objc: HKElectrocardiogramSymptomsStatusNotSet
        case none = 1  // objc: HKElectrocardiogramSymptomsStatusNone
        case present = 2  // objc: HKElectrocardiogramSymptomsStatusPresent
    }
    public enum Lead: Int, Sendable {
        case appleWatchSimilarToLeadI = 1  // objc: HKElectrocardiogramLeadAppleWatchSimilarToLeadI
    }
    public final class VoltageMeasurement: NSObject, @unchecked Sendable {
        public let timeSinceSampleStart: TimeInterval
        private let voltage: HKQuantity?
        init(_ time: TimeInterval, _ voltage: HKQuantity?) {
            timeSinceSampleStart = time
            self.voltage = voltage
        }
        public func quantity(for lead: Lead) -> HKQuantity? { voltage }
    }

    public let classification: Classification
    public let symptomsStatus: SymptomsStatus
    public let averageHeartRate: HKQuantity?
    public let samplingFrequency: HKQuantity?
    let voltages: [HKQuantity?]
    public var numberOfVoltageMeasurements: Int { voltages.count }

    public init(
        start: Date, end: Date, classification: Classification, symptoms: SymptomsStatus, averageHeartRate: HKQuantity?,
        samplingFrequency: HKQuantity?, voltages: [HKQuantity?], origin: Origin = Origin()
    ) {
        self.classification = classification
        symptomsStatus = symptoms
        self.averageHeartRate = averageHeartRate
        self.samplingFrequency = samplingFrequency
        self.voltages = voltages
        super.init(HKObjectType.electrocardiogramType(), start, end, origin)
    }
}

/// objc: class HKHeartbeatSeriesSample
public final class HKHeartbeatSeriesSample: HKSample, @unchecked Sendable {
    let beats: [(time: TimeInterval, gap: Bool)]
    public init(start: Date, end: Date, beats: [(time: TimeInterval, gap: Bool)], origin: Origin = Origin()) {
        self.beats = beats
        super.init(HKSeriesType.heartbeat(), start, end, origin)
    }
}

/// objc: class HKWorkoutRoute
public final class HKWorkoutRoute: HKSample, @unchecked Sendable {
    let locations: [CLLocation]
    public init(locations: [CLLocation], origin: Origin = Origin()) {
        self.locations = locations
        let times = locations.map(\.timestamp)
        super.init(HKSeriesType.workoutRoute(), times.min() ?? Date(), times.max() ?? Date(), origin)
    }
}

public struct HKFHIRResourceType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// objc: class HKFHIRVersion
public final class HKFHIRVersion: NSObject, @unchecked Sendable {
    public let stringRepresentation: String
    public init(_ text: String) { stringRepresentation = text }
}

/// objc: class HKFHIRResource
public final class HKFHIRResource: NSObject, @unchecked Sendable {
    public let resourceType: HKFHIRResourceType
    public let identifier: String
    public let data: Data
    public let sourceURL: URL?
    public let fhirVersion: HKFHIRVersion
    public init(type: String, identifier: String, data: Data, sourceURL: URL?, version: String) {
        resourceType = HKFHIRResourceType(rawValue: type)
        self.identifier = identifier
        self.data = data
        self.sourceURL = sourceURL
        fhirVersion = HKFHIRVersion(version)
    }
}

/// objc: class HKClinicalRecord
public final class HKClinicalRecord: HKSample, @unchecked Sendable {
    public let clinicalType: HKClinicalType
    public let displayName: String
    public let fhirResource: HKFHIRResource?
    public init(
        type: HKClinicalType, displayName: String, resource: HKFHIRResource?, date: Date, origin: Origin = Origin()
    ) {
        clinicalType = type
        self.displayName = displayName
        fhirResource = resource
        super.init(type, date, date, origin)
    }
}

/// objc: class HKAudiogramSensitivityPoint
public final class HKAudiogramSensitivityPoint: NSObject, @unchecked Sendable {
    public let frequency: HKQuantity
    public let leftEarSensitivity: HKQuantity?
    public let rightEarSensitivity: HKQuantity?
    public init(frequency: HKQuantity, leftEarSensitivity: HKQuantity?, rightEarSensitivity: HKQuantity?) {
        self.frequency = frequency
        self.leftEarSensitivity = leftEarSensitivity
        self.rightEarSensitivity = rightEarSensitivity
    }
}

/// objc: class HKAudiogramSample
public final class HKAudiogramSample: HKSample, @unchecked Sendable {
    public let sensitivityPoints: [HKAudiogramSensitivityPoint]
    public init(points: [HKAudiogramSensitivityPoint], start: Date, end: Date, origin: Origin = Origin()) {
        sensitivityPoints = points
        super.init(HKObjectType.audiogramSampleType(), start, end, origin)
    }
}

/// objc: class HKLensSpecification
public class HKLensSpecification: NSObject, @unchecked Sendable {
    public let sphere: HKQuantity
    public let cylinder: HKQuantity?
    public let axis: HKQuantity?
    public let addPower: HKQuantity?
    init(sphere: HKQuantity, cylinder: HKQuantity?, axis: HKQuantity?, addPower: HKQuantity?) {
        self.sphere = sphere
        self.cylinder = cylinder
        self.axis = axis
        self.addPower = addPower
    }
}

/// objc: class HKGlassesLensSpecification
public final class HKGlassesLensSpecification: HKLensSpecification, @unchecked Sendable {
    public let vertexDistance: HKQuantity?
    public let farPupillaryDistance: HKQuantity?
    public let nearPupillaryDistance: HKQuantity?
    public init(
        sphere: HKQuantity, cylinder: HKQuantity?, axis: HKQuantity?, addPower: HKQuantity?,
        vertexDistance: HKQuantity?,
        farPupillaryDistance: HKQuantity?, nearPupillaryDistance: HKQuantity?
    ) {
        self.vertexDistance = vertexDistance
        self.farPupillaryDistance = farPupillaryDistance
        self.nearPupillaryDistance = nearPupillaryDistance
        super.init(sphere: sphere, cylinder: cylinder, axis: axis, addPower: addPower)
    }
}

/// objc: class HKContactsLensSpecification
public final class HKContactsLensSpecification: HKLensSpecification, @unchecked Sendable {
    public let baseCurve: HKQuantity?
    public let diameter: HKQuantity?
    public init(
        sphere: HKQuantity, cylinder: HKQuantity?, axis: HKQuantity?, addPower: HKQuantity?, baseCurve: HKQuantity?,
        diameter: HKQuantity?
    ) {
        self.baseCurve = baseCurve
        self.diameter = diameter
        super.init(sphere: sphere, cylinder: cylinder, axis: axis, addPower: addPower)
    }
}

/// objc: class HKVisionPrescription
public class HKVisionPrescription: HKSample, @unchecked Sendable {
    public let dateIssued: Date
    public let expirationDate: Date?
    init(issued: Date, expires: Date?, origin: Origin) {
        dateIssued = issued
        expirationDate = expires
        super.init(HKObjectType.visionPrescriptionType(), issued, issued, origin)
    }
}

/// objc: class HKGlassesPrescription
public final class HKGlassesPrescription: HKVisionPrescription, @unchecked Sendable {
    public let rightEye: HKGlassesLensSpecification?
    public let leftEye: HKGlassesLensSpecification?
    public init(
        rightEye: HKGlassesLensSpecification?, leftEye: HKGlassesLensSpecification?, issued: Date, expires: Date?,
        origin: Origin = Origin()
    ) {
        self.rightEye = rightEye
        self.leftEye = leftEye
        super.init(issued: issued, expires: expires, origin: origin)
    }
}

/// objc: class HKContactsPrescription
public final class HKContactsPrescription: HKVisionPrescription, @unchecked Sendable {
    public let rightEye: HKContactsLensSpecification?
    public let leftEye: HKContactsLensSpecification?
    public init(
        rightEye: HKContactsLensSpecification?, leftEye: HKContactsLensSpecification?, issued: Date, expires: Date?,
        origin: Origin = Origin()
    ) {
        self.rightEye = rightEye
        self.leftEye = leftEye
        super.init(issued: issued, expires: expires, origin: origin)
    }
}

/// objc: class HKStateOfMind
public final class HKStateOfMind: HKSample, @unchecked Sendable {
    public enum Kind: Int, Sendable {
        case momentaryEmotion = 1  // objc: HKStateOfMindKindMomentaryEmotion
        case dailyMood = 2  // objc: HKStateOfMindKindDailyMood
    }
    public enum ValenceClassification: Int, Sendable {
        case veryUnpleasant = 1
        case unpleasant, slightlyUnpleasant, neutral, slightlyPleasant, pleasant, veryPleasant
    }
    public struct Label: RawRepresentable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
    }
    public struct Association: RawRepresentable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
    }
    public let kind: Kind
    public let valence: Double
    public let valenceClassification: ValenceClassification
    public let labels: [Label]
    public let associations: [Association]
    public init(
        date: Date, kind: Kind, valence: Double, classification: ValenceClassification, labels: [Label],
        associations: [Association], origin: Origin = Origin()
    ) {
        self.kind = kind
        self.valence = valence
        valenceClassification = classification
        self.labels = labels
        self.associations = associations
        super.init(HKObjectType.stateOfMindType(), date, date, origin)
    }
}

/// objc: class HKGAD7Assessment
public final class HKGAD7Assessment: HKSample, @unchecked Sendable {
    public enum Answer: Int, Sendable {
        case notAtAll = 0
        case severalDays, moreThanHalfTheDays, nearlyEveryDay
    }
    public let answers: [Answer]
    public init(date: Date, answers: [Answer], origin: Origin = Origin()) {
        self.answers = answers
        super.init(HKScoredAssessmentType(.GAD7), date, date, origin)
    }
}

/// objc: class HKPHQ9Assessment
public final class HKPHQ9Assessment: HKSample, @unchecked Sendable {
    public enum Answer: Int, Sendable {
        case notAtAll = 0
        case severalDays, moreThanHalfTheDays, nearlyEveryDay, preferNotToAnswer
    }
    public let answers: [Answer]
    public init(date: Date, answers: [Answer], origin: Origin = Origin()) {
        self.answers = answers
        super.init(HKScoredAssessmentType(.PHQ9), date, date, origin)
    }
}
