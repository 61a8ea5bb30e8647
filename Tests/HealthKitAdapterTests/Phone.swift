import Core
import Foundation
import HealthData
import HealthKit
import HealthSync
import TestSupport

@testable import HealthKitAdapter

/// A phone's health data with a source that reads them.
struct Phone: Sendable {
    let database = HealthDatabase()
    let source: HealthKitSource

    static let heartRate = "HKQuantityTypeIdentifierHeartRate"
    static let steps = "HKQuantityTypeIdentifierStepCount"
    static let sleep = "HKCategoryTypeIdentifierSleepAnalysis"

    init(selection: HealthSelection = HealthSelection(subject: "p1")) {
        source = HealthKitSource(
            HKHealthStore(database: database), selection: selection, zone: TimeZone(secondsFromGMT: 3600) ?? .gmt)
    }

    static func date(_ minute: Int) -> Date { Date(timeIntervalSince1970: 1_772_348_400 + Double(minute) * 60) }

    static func origin(_ metadata: [String: Any]? = nil) -> HKObject.Origin {
        var origin = HKObject.Origin()
        origin.revision = HKSourceRevision(
            source: HKSource(name: "Kim’s Watch", bundleIdentifier: "com.apple.health"), version: "10.2",
            productType: "Watch6,1", operatingSystemVersion: OperatingSystemVersion())
        origin.device = HKDevice(
            name: "Apple Watch", manufacturer: "Apple", model: "Watch", hardwareVersion: "Watch6,1",
            firmwareVersion: nil, softwareVersion: "10.2", localIdentifier: nil, udiDeviceIdentifier: nil)
        origin.metadata = metadata
        return origin
    }

    static func quantity(
        _ type: String, value: Double, unit: String, minute: Int = 0, metadata: [String: Any]? = nil
    ) -> HKQuantitySample {
        HKQuantitySample(
            type: HKQuantityType(HKQuantityTypeIdentifier(rawValue: type)),
            quantity: HKQuantity(unit: HKUnit(from: unit), doubleValue: value), start: date(minute), end: date(minute),
            origin: origin(metadata))
    }

    static func heart(_ value: Double, minute: Int = 0) -> HKQuantitySample {
        quantity(heartRate, value: value, unit: "count/min", minute: minute)
    }

    static func category(_ type: String, _ value: Int, minute: Int = 0) -> HKCategorySample {
        HKCategorySample(
            type: HKCategoryType(HKCategoryTypeIdentifier(rawValue: type)), value: value, start: date(minute),
            end: date(minute), origin: origin())
    }
}

struct TestFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
