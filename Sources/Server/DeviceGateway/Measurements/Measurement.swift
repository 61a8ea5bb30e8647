import Core

/// One reading of a device, as a device template finds it in an event.
public struct Measurement: Sendable, Hashable {
    /// A value by its name.
    public struct Property: Sendable, Hashable {
        public let name: String
        public let value: String
    }

    /// The template's type name.
    public let type: String
    /// When it was measured.
    public let occurrence: MeasurementTime
    public let deviceID: String
    public let patientID: String?
    public let encounterID: String?
    public let correlationID: String?
    public let properties: [Property]

    /// The value of a name, which is found whatever its case.
    func value(_ name: String) -> String? {
        properties.first { $0.name == name }?.value
            ?? properties.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// As `devices test` prints it.
    public var json: JSON { json(at: occurrence.description, of: patientID) }

    /// What is stored of it in the row of its time, of an Observation of its patient.
    var stored: JSON { json(at: nil, of: nil) }

    private func json(at time: String?, of patient: String?) -> JSON {
        var members: [JSONObject.Member] = []
        for (name, text) in [
            ("type", type), ("occurrenceTimeUtc", time), ("deviceId", deviceID), ("patientId", patient),
            ("encounterId", encounterID), ("correlationId", correlationID),
        ] {
            if let text { members.append(.init(key: name, value: .string(text))) }
        }
        let values = properties.map { ["name": .string($0.name), "value": .string($0.value)] as JSON }
        members.append(.init(key: "properties", value: .array(values)))
        return .object(JSONObject(keepingFirst: members))
    }

    /// Reads what ``stored`` wrote, and what ``json`` wrote where it was stored whole.
    init?(stored json: JSON, at time: MeasurementTime, of participant: String?) {
        guard let type = json["type"]?.string, let device = json["deviceId"]?.string,
            let properties = json["properties"]?.array
        else { return nil }
        self.init(
            type: type, occurrence: time, deviceID: device, patientID: participant,
            encounterID: json["encounterId"]?.string, correlationID: json["correlationId"]?.string,
            properties: properties.compactMap { property in
                guard let name = property["name"]?.string, let value = property["value"]?.string else { return nil }
                return Property(name: name, value: value)
            })
    }

    init(
        type: String, occurrence: MeasurementTime, deviceID: String, patientID: String?, encounterID: String?,
        correlationID: String?, properties: [Property]
    ) {
        self.type = type
        self.occurrence = occurrence
        self.deviceID = deviceID
        self.patientID = patientID
        self.encounterID = encounterID
        self.correlationID = correlationID
        self.properties = properties
    }

    /// The same of a participant, whoever the event says it is of.
    func of(participant: String) -> Measurement {
        Measurement(
            type: type, occurrence: occurrence, deviceID: deviceID, patientID: participant, encounterID: encounterID,
            correlationID: correlationID, properties: properties)
    }
}
