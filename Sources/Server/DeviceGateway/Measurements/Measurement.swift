import Core

/// One reading of a device, as a device template extracts it from an event.
package struct Measurement: Sendable, Hashable {
    /// A named value.
    package struct Property: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    /// The template's type name.
    package let type: String
    /// The time of measurement.
    package let occurrence: MeasurementTime
    package let deviceID: String
    package let patientID: String?
    package let encounterID: String?
    package let correlationID: String?
    package let properties: [Property]

    /// Returns the value with a name. An exact match takes precedence over one that differs in case.
    func value(_ name: String) -> String? {
        properties.first { $0.name == name }?.value
            ?? properties.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The reading as `gateway test` prints it.
    package var json: JSON { json(at: occurrence.description, of: patientID) }

    /// The stored form of the reading, without its time and patient: its row has the time, and its Observation the
    /// patient.
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

    /// Parses the form that ``stored`` writes, and that of ``json``, which earlier versions stored.
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

    /// Returns the reading with this participant, whichever patient the event names.
    func of(participant: String) -> Measurement {
        Measurement(
            type: type, occurrence: occurrence, deviceID: deviceID, patientID: participant, encounterID: encounterID,
            correlationID: correlationID, properties: properties)
    }
}
