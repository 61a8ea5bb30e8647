import Core

/// A template that extracts readings from the events of devices.
struct DeviceTemplate: Sendable {
    private struct Value: Sendable {
        let name: String
        let expression: TemplateExpression
        let isRequired: Bool
    }

    private let typeName: String
    private let match: TemplateExpression
    private let device: TemplateExpression
    /// Tried in order until one finds a time.
    private let times: [TemplateExpression]
    private let patient: TemplateExpression?
    private let encounter: TemplateExpression?
    private let correlation: TemplateExpression?
    private let values: [Value]
    /// Whether expressions are evaluated on the whole event with the match added to it, rather than on the match.
    private let isCalculated: Bool

    /// Maximum readings of one template in an event.
    private static let maximumMatches = 10_000

    init(kind: TemplateValue, _ body: TemplateValue) throws(TemplateError) {
        let name = try kind.text()
        var language = TemplateExpression.Language.jsonPath
        isCalculated = name == "CalculatedContent" || name == "CalculatedFunctionContent"
        let mayNameLanguage = isCalculated
        if isCalculated, let named = body["defaultExpressionLanguage"] { language = try .init(named) }
        func expression(_ value: TemplateValue) throws(TemplateError) -> TemplateExpression {
            try TemplateExpression(value, language: language, mayNameLanguage: mayNameLanguage)
        }
        func optional(_ name: String) throws(TemplateError) -> TemplateExpression? {
            guard let value = body[name] else { return nil }
            return try expression(value)
        }
        typeName = try body.required("typeName").text()
        match = try expression(body.required("typeMatchExpression"))
        patient = try optional("patientIdExpression")
        encounter = try optional("encounterIdExpression")
        correlation = try optional("correlationIdExpression")
        // Properties that IoT Hub and IoT Central add are the defaults of their templates.
        let (usualDevice, usualTimes): (String?, [String]) =
            switch name {
            case "JsonPathContent", "CalculatedContent", "CalculatedFunctionContent": (nil, [])
            case "IotJsonPathContent":
                (
                    "$.SystemProperties.iothub-connection-device-id",
                    ["$.Properties.iothub-creation-time-utc", "$.SystemProperties.iothub-enqueuedtime"]
                )
            case "IotCentralJsonPathContent": ("$.deviceId", ["$.enqueuedTime"])
            default: throw kind.error(.kindUnknown, "No device templates of this kind are known.")
            }
        if let own = try optional("deviceIdExpression") {
            device = own
        } else if let usualDevice {
            device = try TemplateExpression(path: usualDevice)
        } else {
            throw TemplateError(.memberMissing, at: body.path, reason: "The member deviceIdExpression is missing.")
        }
        if let own = try optional("timestampExpression") {
            times = [own]
        } else if !usualTimes.isEmpty {
            var paths: [TemplateExpression] = []
            for path in usualTimes { paths.append(try TemplateExpression(path: path)) }
            times = paths
        } else {
            throw TemplateError(.memberMissing, at: body.path, reason: "The member timestampExpression is missing.")
        }
        var values: [Value] = []
        for value in try body["values"]?.elements() ?? [] {
            values.append(
                Value(
                    name: try value.required("valueName").text(),
                    expression: try expression(value.required("valueExpression")),
                    isRequired: try value["required"]?.flag() ?? false))
        }
        self.values = values
    }

    /// Returns the readings in an event, each or the reason that there is none.
    func measurements(in event: JSON) -> [Result<Measurement, MeasurementProblem>] {
        let matched: [JSON]
        do throws(MeasurementProblem) { matched = try match.all(in: event) } catch { return [.failure(error)] }
        guard matched.count <= Self.maximumMatches else {
            return [
                .failure(
                    MeasurementProblem(
                        "too-many-measurements",
                        "A template finds more than \(Self.maximumMatches) readings in one event."
                    ))
            ]
        }
        return matched.map { token in
            do throws(MeasurementProblem) { return .success(try measurement(token, in: event)) } catch {
                return .failure(error)
            }
        }
    }

    private func measurement(_ token: JSON, in event: JSON) throws(MeasurementProblem) -> Measurement {
        var document = token
        if isCalculated {
            var object = event.object ?? JSONObject()
            object["matchedToken"] = token
            document = .object(object)
        }
        guard let deviceID = try device.text(in: document) else {
            throw MeasurementProblem("device-missing", "The event does not say which device it is of.")
        }
        var properties: [Measurement.Property] = []
        for value in values {
            guard let text = try value.expression.text(in: document) else {
                if value.isRequired {
                    throw MeasurementProblem("value-missing", "A value that the template requires is missing.")
                }
                continue
            }
            properties.append(.init(name: value.name, value: text))
        }
        return Measurement(
            type: typeName, occurrence: try time(in: document), deviceID: deviceID,
            patientID: try patient?.text(in: document), encounterID: try encounter?.text(in: document),
            correlationID: try correlation?.text(in: document), properties: properties)
    }

    private func time(in document: JSON) throws(MeasurementProblem) -> MeasurementTime {
        for expression in times {
            guard let text = try expression.text(in: document) else { continue }
            guard let time = MeasurementTime(text) else {
                throw MeasurementProblem(
                    "timestamp-invalid", "The time of the reading is no date and time of ISO 8601.")
            }
            return time
        }
        throw MeasurementProblem("timestamp-missing", "The event does not say when it was measured.")
    }
}

/// The device templates of a study: `devicecontent.json`.
package struct DeviceTemplates: Sendable {
    private let templates: [DeviceTemplate]

    /// - Throws: the error with its path. Nothing is used of a file with an error.
    package init(_ json: JSON) throws(TemplateError) {
        var templates: [DeviceTemplate] = []
        for (kind, body) in try TemplateCollection(json, kind: "CollectionContent").templates {
            templates.append(try DeviceTemplate(kind: kind, body))
        }
        self.templates = templates
    }

    /// Returns the readings in an event that any templates find, and the problems of the others. An event that no
    /// template matches gives neither.
    ///
    /// - Parameter event: `{"Body": …, "Properties": …, "SystemProperties": …}`, or the form that the templates
    ///   expect.
    package func measurements(in event: JSON) -> (found: [Measurement], problems: [MeasurementProblem]) {
        var found: [Measurement] = []
        var problems: [MeasurementProblem] = []
        for template in templates {
            for result in template.measurements(in: event) {
                switch result {
                case .success(let measurement): found.append(measurement)
                case .failure(let problem): problems.append(problem)
                }
            }
        }
        return (found, problems)
    }
}
