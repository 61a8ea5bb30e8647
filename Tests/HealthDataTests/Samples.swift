import FHIR
import Foundation
import HealthData
import Testing

/// Samples for tests.
enum Samples {
    static let start = HealthInstant(seconds: 1_479_137_141, offsetMinutes: -420)
    static let watch = HealthSource(product: .appleWatch, version: "4.3.1")

    static func heartRate(
        _ text: String = "72", at seconds: Int64 = 0, source: HealthSource = watch, end: Int64? = nil
    ) throws -> HealthSample {
        let type = try #require(HealthType.named("HeartRate"))
        let measure = try #require(type.measure)
        return HealthSample(
            type: type, value: .quantity(try HealthQuantity(text, unit: "count/min", as: measure)),
            start: HealthInstant(seconds: start.seconds + seconds, offsetMinutes: -420),
            end: HealthInstant(seconds: start.seconds + (end ?? seconds), offsetMinutes: -420), source: source)
    }

    static func pressure(
        _ systolic: String?, _ diastolic: String?, at seconds: Int64 = 0, source: HealthSource = watch
    ) throws -> HealthSample {
        let type = try #require(HealthType.named("BloodPressure"))
        let values = try zip(type.components, [systolic, diastolic]).map { component, text in
            try text.map { try HealthQuantity($0, unit: "mmHg", as: component.measure) }
        }
        let moment = HealthInstant(seconds: start.seconds + seconds, offsetMinutes: -420)
        return HealthSample(
            type: type, value: .bloodPressure(systolic: values[0], diastolic: values[1]), start: moment, end: moment,
            source: source)
    }

    /// Converts samples; systolic and diastolic ones alone are members.
    static func convert(
        _ samples: [HealthSample], claims: [HealthSample] = [], known: Set<SampleIdentity> = [],
        selection: HealthSelection = HealthSelection(subject: "p1")
    ) throws -> (made: [HealthObservation], account: HealthAccount) {
        var made: [HealthObservation] = []
        let conversion = HealthConversion(selection, isKnown: { known.contains($0) }, emit: { made.append($0) })
        for sample in samples {
            switch sample.value {
            case .bloodPressure(let systolic, let diastolic) where systolic == nil || diastolic == nil:
                let place = systolic == nil ? 1 : 0
                let row = conversion.account.row(for: sample.type.components[place].identifier)
                try conversion.addMember(sample, row: row)
            default: try conversion.add(sample, row: conversion.account.row(for: sample.type.identifier))
            }
        }
        for claim in claims { conversion.claim(claim) }
        try conversion.finish()
        return (made, conversion.account)
    }
}
