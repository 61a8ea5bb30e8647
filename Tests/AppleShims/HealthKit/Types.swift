// A stand-in for HealthKit on systems without it: the declarations that the adapter uses, after Apple's public
// documentation, in memory. Comments give the names of Apple's headers; Scripts/check-healthkit-names.py compares them.
import Foundation

/// objc: class HKObjectType
open class HKObjectType: NSObject, @unchecked Sendable {
    public let identifier: String

    init(named identifier: String) { self.identifier = identifier }

    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKObjectType else { return false }
        return Swift.type(of: other) == Swift.type(of: self) && other.identifier == identifier
    }
    override open var hash: Int { identifier.hashValue }

    // objc: HKObjectType requiresPerObjectAuthorization
    open func requiresPerObjectAuthorization() -> Bool { self is HKPrescriptionType }

    /// Returns nil for an identifier that HealthKit does not know.
    public static func quantityType(forIdentifier identifier: HKQuantityTypeIdentifier) -> HKQuantityType? {
        identifier.rawValue.hasPrefix("HKQuantityTypeIdentifier") ? HKQuantityType(identifier) : nil
    }
    public static func categoryType(forIdentifier identifier: HKCategoryTypeIdentifier) -> HKCategoryType? {
        identifier.rawValue.hasPrefix("HKCategoryTypeIdentifier") ? HKCategoryType(identifier) : nil
    }
    public static func correlationType(forIdentifier identifier: HKCorrelationTypeIdentifier) -> HKCorrelationType? {
        identifier.rawValue.hasPrefix("HKCorrelationTypeIdentifier") ? HKCorrelationType(identifier) : nil
    }
    public static func clinicalType(forIdentifier identifier: HKClinicalTypeIdentifier) -> HKClinicalType? {
        identifier.rawValue.hasPrefix("HKClinicalTypeIdentifier") ? HKClinicalType(identifier) : nil
    }
    public static func workoutType() -> HKWorkoutType { HKWorkoutType(named: "HKWorkoutTypeIdentifier") }
    public static func electrocardiogramType() -> HKElectrocardiogramType {
        HKElectrocardiogramType(named: "HKDataTypeIdentifierElectrocardiogram")
    }
    public static func audiogramSampleType() -> HKAudiogramSampleType {
        HKAudiogramSampleType(named: "HKDataTypeIdentifierAudiogram")
    }
    public static func visionPrescriptionType() -> HKPrescriptionType {
        HKPrescriptionType(named: "HKVisionPrescriptionTypeIdentifier")
    }
    public static func activitySummaryType() -> HKActivitySummaryType {
        HKActivitySummaryType(named: "HKActivitySummaryTypeIdentifier")
    }
    public static func stateOfMindType() -> HKStateOfMindType { HKStateOfMindType(named: "HKDataTypeStateOfMind") }
}

/// Has no samples.
public final class HKActivitySummaryType: HKObjectType, @unchecked Sendable {}

open class HKSampleType: HKObjectType, @unchecked Sendable {}

public struct HKQuantityTypeIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}
public struct HKCategoryTypeIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}
public struct HKCorrelationTypeIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}
public struct HKClinicalTypeIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}
public struct HKScoredAssessmentTypeIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let GAD7 = Self(rawValue: "HKScoredAssessmentTypeIdentifierGAD7")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let PHQ9 = Self(rawValue: "HKScoredAssessmentTypeIdentifierPHQ9")
}

/// objc: class HKQuantityType
public final class HKQuantityType: HKSampleType, @unchecked Sendable {
    public convenience init(_ identifier: HKQuantityTypeIdentifier) { self.init(named: identifier.rawValue) }
}
public final class HKCategoryType: HKSampleType, @unchecked Sendable {
    public convenience init(_ identifier: HKCategoryTypeIdentifier) { self.init(named: identifier.rawValue) }
}
public final class HKCorrelationType: HKSampleType, @unchecked Sendable {
    public convenience init(_ identifier: HKCorrelationTypeIdentifier) { self.init(named: identifier.rawValue) }
}
public final class HKClinicalType: HKSampleType, @unchecked Sendable {
    public convenience init(_ identifier: HKClinicalTypeIdentifier) { self.init(named: identifier.rawValue) }
}
public final class HKScoredAssessmentType: HKSampleType, @unchecked Sendable {
    public convenience init(_ identifier: HKScoredAssessmentTypeIdentifier) { self.init(named: identifier.rawValue) }
}
public final class HKWorkoutType: HKSampleType, @unchecked Sendable {}
public final class HKElectrocardiogramType: HKSampleType, @unchecked Sendable {}
public final class HKAudiogramSampleType: HKSampleType, @unchecked Sendable {}
public final class HKPrescriptionType: HKSampleType, @unchecked Sendable {}
public final class HKStateOfMindType: HKSampleType, @unchecked Sendable {}
public final class HKSeriesType: HKSampleType, @unchecked Sendable {
    public static func workoutRoute() -> HKSeriesType { HKSeriesType(named: "HKWorkoutRouteTypeIdentifier") }
    public static func heartbeat() -> HKSeriesType { HKSeriesType(named: "HKDataTypeIdentifierHeartbeatSeries") }
}
