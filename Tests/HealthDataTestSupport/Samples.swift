import FHIR
import Foundation
import HealthData
import SleepNights
import Testing

/// Samples for tests.
public enum Samples {
    public static let start = HealthInstant(seconds: 1_479_137_141, offsetMinutes: -420)
    public static let watch = HealthSource(product: .appleWatch, version: "4.3.1")

    public static func heartRate(
        _ text: String = "72", at seconds: Int64 = 0, source: HealthSource = watch, end: Int64? = nil
    ) throws -> HealthSample {
        let type = try #require(HealthType.named("HeartRate"))
        let measure = try #require(type.measure)
        return HealthSample(
            type: type, value: .quantity(try HealthQuantity(text, unit: "count/min", as: measure)),
            start: HealthInstant(seconds: start.seconds + seconds, offsetMinutes: -420),
            end: HealthInstant(seconds: start.seconds + (end ?? seconds), offsetMinutes: -420), source: source)
    }

    public static func pressure(
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

    public static func quantity(_ name: String, _ text: String, unit: String) throws -> HealthSample {
        let type = try #require(HealthType.named(name))
        let quantity = try HealthQuantity(text, unit: unit, as: try #require(type.measure))
        return HealthSample(type: type, value: .quantity(quantity), start: start, end: start, source: watch)
    }

    public static func category(_ name: String, _ value: HealthValue) throws -> HealthSample {
        HealthSample(
            type: try #require(HealthType.named(name)), value: value, start: start, end: start, source: watch)
    }

    /// Returns a sample of sleep analysis.
    ///
    /// - Parameter start: Seconds after 2023-02-11T00:00:00+01:00.
    public static func sleep(
        _ stage: SleepStage, from start: Int64, to end: Int64,
        source: HealthSource = HealthSource(product: .appleWatch, version: "9.2"), offset: Int16 = 60
    ) throws -> HealthSample {
        let midnight: Int64 = 1_676_070_000
        let type = try #require(HealthType.named("SleepAnalysis"))
        return HealthSample(
            type: type, value: .option(try #require(type.option(named: stage.code))),
            start: HealthInstant(seconds: midnight + start, offsetMinutes: offset),
            end: HealthInstant(seconds: midnight + end, offsetMinutes: offset), source: source)
    }

    /// Returns one sample of every form that an observation can have.
    public static func ofEveryShape() throws -> [HealthSample] {
        let sleep = try #require(HealthType.named("SleepAnalysis"))
        let protein = try quantity("DietaryProtein", "12.5", unit: "oz")
        guard case .quantity(let grams) = protein.value else { return [] }
        var meal = try category(
            "HKCorrelationTypeIdentifierFood",
            .components([
                HealthMember(
                    measure: try #require(protein.type.measure), quantity: grams, fingerprint: protein.fingerprint)
            ]))
        meal.members = [try heartRate().fingerprint, try heartRate("73").fingerprint]
        var flow = try category(
            "MenstrualFlow", .option(try #require(HealthType.named("MenstrualFlow")?.options.first)))
        flow.context.add(key: "HKMenstrualCycleStart", value: "1")
        var event = try category("HighHeartRateEvent", .event)
        event.context.add(key: "HKHeartRateEventThreshold", value: "100 count/min")
        event.context.add(key: "HKMetadataKeyDevicePlacementSide", value: "1")
        var run = try quantity("DistanceWalkingRunning", "3.1", unit: "mi")
        run = HealthSample(
            type: run.type, value: run.value, start: start, end: start,
            source: HealthSource(
                product: .appleWatch, version: "1", device: HealthDevice(product: .appleWatch, hardware: "Watch2,4")))
        // A strap that is paired with a watch.
        let strap = HealthDevice(product: .app, manufacturer: "Polar Electro Oy")
        let beat = try heartRate(source: HealthSource(product: .appleWatch, version: "1", device: strap))
        return [
            meal, flow, event, run, beat, try quantity("OxygenSaturation", "0.97", unit: "%"),
            try quantity("BodyTemperature", "98.6", unit: "degF"),
            try category("SleepAnalysis", .option(try #require(sleep.options.first))),
        ]
    }

    /// Converts samples; single systolic and diastolic samples are members.
    public static func convert(
        _ samples: [HealthSample], claims: [HealthSample] = [], known: Set<SampleFingerprint> = [],
        selection: HealthSelection = HealthSelection(subject: "p1")
    ) throws -> (made: [HealthObservation], importReport: HealthImportReport) {
        var made: [HealthObservation] = []
        let conversion = HealthConversion(selection, isKnown: { known.contains($0) }, emit: { made.append($0) })
        for sample in samples {
            switch sample.value {
            case .bloodPressure(let systolic, let diastolic) where systolic == nil || diastolic == nil:
                let index = systolic == nil ? 1 : 0
                let row = conversion.importReport.row(for: sample.type.components[index].identifier)
                try conversion.addMember(sample, row: row)
            default: try conversion.add(sample, row: conversion.importReport.row(for: sample.type.identifier))
            }
        }
        for claim in claims { conversion.claim(claim) }
        try conversion.finish()
        return (made, conversion.importReport)
    }
}
