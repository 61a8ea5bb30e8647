import Core
import Foundation
import Testing

@testable import DeviceGateway

/// Readings that device templates find in events.
@Suite struct DeviceTemplateTests {
    private static func templates(_ body: String, kind: String = "JsonPathContent") throws -> DeviceTemplates {
        let text =
            #"{"templateType":"CollectionContent","template":[{"templateType":"\#(kind)","template":{\#(body)}}]}"#
        return try DeviceTemplates(JSON(parsing: text))
    }

    private static let heartRate = """
        "typeName":"heartrate","typeMatchExpression":"$..[?(@heartRate)]","deviceIdExpression":"$.deviceId",\
        "timestampExpression":"$.endDate","values":[{"required":true,"valueExpression":"$.heartRate","valueName":"hr"}]
        """

    @Test func eventMayContainSeveralReadings() throws {
        let event = try JSON(
            parsing: """
                {"Body":[{"heartRate":78.50,"endDate":"2019-02-01T20:46:01.875Z","deviceId":"d"},
                {"heartRate":"81","endDate":"2019-02-01T22:46:01+01:00","deviceId":"d"}]}
                """)
        let (found, problems) = try Self.templates(Self.heartRate).measurements(in: event)
        #expect(problems.isEmpty)
        #expect(found.map(\.occurrence.description) == ["2019-02-01T20:46:01.875Z", "2019-02-01T21:46:01Z"])
        #expect(found.map { $0.value("hr") } == ["78.50", "81"])
        #expect(found.map(\.deviceID) == ["d", "d"])
    }

    @Test func eventWithoutAMatchingTemplateGivesNoReadings() throws {
        let event = try JSON(parsing: #"{"Body":{"other":1}}"#)
        let (found, problems) = try Self.templates(Self.heartRate).measurements(in: event)
        #expect(found.isEmpty && problems.isEmpty)
    }

    @Test(arguments: [
        (#"{"heartRate":1,"endDate":"2019-02-01T20:46:01Z"}"#, "device-missing"),
        (#"{"heartRate":1,"endDate":"2019-02-01T20:46:01Z","deviceId":" "}"#, "device-missing"),
        (#"{"heartRate":1,"deviceId":"d"}"#, "timestamp-missing"),
        (#"{"heartRate":1,"deviceId":"d","endDate":"yesterday"}"#, "timestamp-invalid"),
        (#"{"heartRate":1,"deviceId":"d","endDate":"2019-02-01"}"#, "timestamp-invalid"),
        (#"{"heartRate":1,"deviceId":"d","endDate":"2019-02-30T00:00:00Z"}"#, "timestamp-invalid"),
        (#"{"heartRate":1,"deviceId":"d","endDate":1549053961}"#, "timestamp-invalid"),
        (#"{"heartRate":"","deviceId":"d","endDate":"2019-02-01T20:46:01Z"}"#, "value-missing"),
        (#"{"heartRate":null,"deviceId":"d","endDate":"2019-02-01T20:46:01Z"}"#, "value-missing"),
        (#"{"heartRate":{"x":1},"deviceId":"d","endDate":"2019-02-01T20:46:01Z"}"#, "value-not-simple"),
    ])
    func failedReadingIsNamedAndOthersOfTheEventAreAccepted(reading: String, code: String) throws {
        let event = try JSON(
            parsing: #"{"Body":[\#(reading),{"heartRate":2,"deviceId":"d","endDate":"2019-02-01T20:46:01Z"}]}"#)
        let (found, problems) = try Self.templates(Self.heartRate).measurements(in: event)
        #expect(found.count == 1 && problems.map(\.code) == [code])
        #expect(!problems.contains { $0.message.contains("yesterday") })
    }

    @Test func aTimeWithoutAnOffsetIsUTC() throws {
        let event = try JSON(parsing: #"{"heartRate":1,"deviceId":"d","endDate":"2019-02-01T20:46:01.1234567"}"#)
        let found = try Self.templates(Self.heartRate).measurements(in: event).found
        #expect(found.map(\.occurrence.description) == ["2019-02-01T20:46:01.1234567Z"])
    }

    @Test func propertiesOfIoTHubReplaceMissingExpressions() throws {
        let body = """
            "typeName":"hr","typeMatchExpression":"$..[?(@Body.HeartRate)]","values":[{"required":"true",\
            "valueExpression":"$.Body.HeartRate","valueName":"hr"}]
            """
        let hub = try Self.templates(body, kind: "IotJsonPathContent")
        let system = #""iothub-connection-device-id":"d1","iothub-enqueuedtime":"2020-01-01T00:00:02Z""#
        for (properties, time) in [
            (#""iothub-creation-time-utc":"2020-01-01T00:00:01Z""#, "2020-01-01T00:00:01Z"),
            ("", "2020-01-01T00:00:02Z"),
        ] {
            let event = try JSON(
                parsing:
                    #"{"Body":{"HeartRate":"60"},"Properties":{\#(properties)},"SystemProperties":{\#(system)}}"#)
            let (found, problems) = hub.measurements(in: event)
            #expect(problems.isEmpty)
            #expect(found.map(\.deviceID) == ["d1"] && found.map(\.occurrence.description) == [time])
        }
        let central = try Self.templates(
            body.replacing("@Body.HeartRate", with: "@telemetry.HeartRate")
                .replacing("$.Body", with: "$.telemetry"), kind: "IotCentralJsonPathContent")
        let event = try JSON(
            parsing: #"{"telemetry":{"HeartRate":88},"deviceId":"c1","enqueuedTime":"2020-01-01T00:00:03.5Z"}"#)
        let found = central.measurements(in: event).found
        #expect(found.map(\.deviceID) == ["c1"] && found.map(\.occurrence.description) == ["2020-01-01T00:00:03.5Z"])
    }

    @Test func calculatedTemplateReadsTheWholeEventInEitherLanguage() throws {
        let body = """
            "typeName":"height","typeMatchExpression":{"value":"Body.readings[?unit=='in']","language":"jmespath"},\
            "defaultExpressionLanguage":"JmesPath","deviceIdExpression":"Body.device",\
            "timestampExpression":{"value":"$.matchedToken.at","language":"JsonPath"},\
            "correlationIdExpression":"Body.session","values":[{"valueName":"height",\
            "valueExpression":"multiply(to_number(matchedToken.height), `0.0254`)"},{"valueName":"none",\
            "valueExpression":"matchedToken.none"}]
            """
        let event = try JSON(
            parsing: """
                {"Body":{"device":"d","session":"s","readings":[{"unit":"in","height":"78","at":"2020-01-01T00:00:00Z"},
                {"unit":"m","height":"2","at":"2020-01-01T00:00:00Z"}]}}
                """)
        let (found, problems) = try Self.templates(body, kind: "CalculatedContent").measurements(in: event)
        #expect(problems.isEmpty && found.count == 1)
        #expect(found.first?.properties == [.init(name: "height", value: "1.9812")])
        #expect(found.first?.correlationID == "s")
    }

    @Test(arguments: [
        (#"[]"#, "template-not-a-collection"),
        (#"{"templateType":"CollectionFhir","template":[]}"#, "template-not-a-collection"),
        (#"{"templateType":"CollectionContent","template":[{"template":{}}]}"#, "template-member-missing"),
        (
            #"{"templateType":"CollectionContent","template":[{"templateType":"Other","template":{"typeName":"x","typeMatchExpression":"$"}}]}"#,
            "template-kind-unknown"
        ),
        (
            #"{"templateType":"CollectionContent","template":[{"templateType":"JsonPathContent","template":{"typeName":"x","typeMatchExpression":"$["}}]}"#,
            "template-expression-invalid"
        ),
        (
            #"{"templateType":"CollectionContent","template":[{"templateType":"JsonPathContent","template":{"typeName":"x","typeMatchExpression":"$"}}]}"#,
            "template-member-missing"
        ),
        (
            #"{"templateType":"CollectionContent","template":[{"templateType":"CalculatedContent","template":{"typeName":"x","typeMatchExpression":{"value":"$","language":"XPath"}}}]}"#,
            "template-kind-unknown"
        ),
    ])
    func faultInATemplateIsReported(text: String, code: String) throws {
        let json = try JSON(parsing: text)
        let error = #expect(throws: TemplateError.self) { try DeviceTemplates(json) }
        #expect(error?.code == code)
    }
}
