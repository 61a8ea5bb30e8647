import Core
import Crypto
import FHIR
import Foundation

/// A phone's daily report to its study about its health data: times and counts by type, without values.
///
/// It is a Device (<https://hl7.org/fhir/R4/device.html>) with a `property` for each type. The id is always the same,
/// so that its versions are the daily reports. The study team finds in it the reason why a stream is silent.
public struct PhoneReport: Sendable, Hashable {
    /// One type of health data.
    public struct Stream: Sendable, Hashable {
        /// HealthKit's identifier.
        public let type: String
        /// End of the latest sample that was passed to the outbox, in whole seconds since 1970; nil if there is none.
        public let lastSample: Int64?
        /// Number of samples that were read and are not passed to the outbox yet.
        public let waiting: Int
        /// Number of quarantined samples.
        public let quarantined: Int

        /// Creates a stream from its parts.
        public init(type: String, lastSample: Int64?, waiting: Int, quarantined: Int) {
            self.type = type
            self.lastSample = lastSample
            self.waiting = waiting
            self.quarantined = quarantined
        }
    }

    /// The id of the participant's Patient.
    public let participant: String
    /// The time of the report, in whole seconds since 1970.
    public let at: Int64
    /// Whether the phone is in Low Power Mode, and defers history.
    public let isLowPower: Bool
    /// The streams, sorted by type.
    public let streams: [Stream]

    /// The system of the codes for numbers and for the phone's state.
    public static let system = "urn:tributary:phone-report"
    /// Interval of the reports, in seconds.
    public static let interval: Int64 = 86_400

    /// Creates a report from its parts.
    public init(participant: String, at: Int64, isLowPower: Bool, streams: [Stream]) {
        self.participant = participant
        self.at = at
        self.isLowPower = isLowPower
        self.streams = streams.sorted { $0.type < $1.type }
    }

    /// Returns the id of the report of a participant's phone.
    public static func id(of participant: String) -> String {
        let digest = SHA256.hash(data: Data("\(system)\0\(participant)".utf8))
        return UUID(digest, version: .custom).lowercaseText
    }

    /// The report as a Device.
    public var resource: Resource {
        func number(_ value: Int64, _ code: String) -> JSON {
            ["value": .number(JSONNumber(value)), "system": .string(Self.system), "code": .string(code)]
        }
        func state(_ code: String) -> JSON {
            ["type": ["coding": [["system": .string(Self.system), "code": .string(code)]]]]
        }
        var time = state("reported")
        time["valueQuantity"] = [number(at, "seconds")]
        var power = state("low-power")
        power["valueQuantity"] = [number(isLowPower ? 1 : 0, "low-power")]
        let rows = streams.map { stream -> JSON in
            var numbers = [number(Int64(stream.waiting), "waiting"), number(Int64(stream.quarantined), "quarantined")]
            if let last = stream.lastSample { numbers.append(number(last, "last-sample")) }
            return [
                "type": ["coding": [["system": .string(CodeSystemURL.healthKit), "code": .string(stream.type)]]],
                "valueQuantity": .array(numbers),
            ]
        }
        return Resource(
            JSONObject(keepingFirst: [
                .init(key: "resourceType", value: .string(Device.resourceType)),
                .init(key: "id", value: .string(Self.id(of: participant))), .init(key: "status", value: "active"),
                .init(key: "type", value: ["text": "Phone that brings health data"]),
                .init(key: "patient", value: ["reference": .string("Patient/\(participant)")]),
                .init(key: "property", value: .array([time, power] + rows)),
            ]))
    }

    /// Reads a report; nil for a Device that is not one.
    public init?(_ resource: Resource, of participant: String) {
        guard resource.resourceType == Device.resourceType, resource.id == Self.id(of: participant),
            let properties = resource.json["property"]?.array
        else { return nil }
        func numbers(_ property: JSON) -> [String: Int64] {
            Dictionary(
                (property["valueQuantity"]?.array ?? []).compactMap { quantity in
                    guard quantity["system"]?.string == Self.system, let code = quantity["code"]?.string,
                        let value = quantity["value"]?.integer
                    else { return nil }
                    return (code, Int64(value))
                }, uniquingKeysWith: { first, _ in first })
        }
        var at: Int64?
        var isLowPower = false
        var streams: [Stream] = []
        for property in properties.prefix(1_000) {
            guard let coding = property["type"]?["coding"]?.array?.first, let code = coding["code"]?.string else {
                continue
            }
            let values = numbers(property)
            switch (coding["system"]?.string, code) {
            case (Self.system, "reported"): at = values["seconds"]
            case (Self.system, "low-power"): isLowPower = values["low-power"] == 1
            case (CodeSystemURL.healthKit, let type):
                streams.append(
                    Stream(
                        type: type, lastSample: values["last-sample"], waiting: Int(values["waiting"] ?? 0),
                        quarantined: Int(values["quarantined"] ?? 0)))
            default: continue
            }
        }
        guard let at else { return nil }
        self.init(participant: participant, at: at, isLowPower: isLowPower, streams: streams)
    }
}
