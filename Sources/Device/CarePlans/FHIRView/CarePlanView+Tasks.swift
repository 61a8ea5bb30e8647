import FHIR
import Foundation

extension CarePlanView {
    /// A ServiceRequest: one element of the schedule of a task version.
    struct Request {
        let task: CareEntity
        let resource: UUID
        let isCurrent: Bool
    }

    /// Adds the ServiceRequests of tasks, and the Tasks and Observations of recorded events.
    mutating func addTasks() -> [Request] {
        let current = contents.current
        let recorded = current.filter { $0.kind == .outcome }
        var versions = current.filter { $0.kind == .task || $0.kind == .healthKitTask }
        let currentUUIDs = Set(versions.map(\.uuid))
        var known = currentUUIDs
        for outcome in recorded {
            guard let event = outcome.event, known.insert(event.task).inserted,
                let version = contents.graph.versions[event.task], version.kind == .task
            else { continue }
            versions.append(version)
        }
        var requests: [Request] = []
        var tasks: [UUID: CareTask] = [:]
        for version in versions {
            // A task whose schedule cannot be read has no Timing.
            let task = try? CareTask(version)
            tasks[version.uuid] = task
            let isCurrent = currentUUIDs.contains(version.uuid)
            for index in 0..<(task?.schedule.elements.count ?? 1) {
                let uuid = Self.request(version.uuid, element: index)
                add(uuid, request(version, task: task, element: index, isCurrent: isCurrent))
                requests.append(Request(task: version, resource: uuid, isCurrent: isCurrent))
            }
        }
        for outcome in recorded {
            guard let event = outcome.event, let version = contents.graph.versions[event.task] else { continue }
            addEvent(outcome, event, of: version, task: tasks[version.uuid])
        }
        return requests
    }

    private static func request(_ task: UUID, element: Int) -> UUID {
        CareViewIdentity.derived(from: task, "element", index: element)
    }

    private func title(of version: CareEntity) -> JSON {
        .string(FHIRText.string(version.object["title"]) ?? FHIRText.string(.string(version.id)) ?? "-")
    }

    private func request(_ version: CareEntity, task: CareTask?, element index: Int, isCurrent: Bool) -> JSON {
        let object = version.object
        let linkage = object["healthKitLinkage"]
        let element = task?.schedule.elements[index]
        var extensions: [JSON?] = [
            CareExtension.value("impactsAdherence", type: "Boolean", .bool(object["impactsAdherence"]?.bool ?? true)),
            CareExtension.integer("scheduleElement", index),
            CareExtension.group(
                "healthKitLinkage",
                ["quantityIdentifier", "quantityType", "unitString"].map { CareExtension.text($0, linkage?[$0]) }),
        ]
        extensions += (element?.targetValues ?? []).map { target in
            CareExtension.group(
                "targetValue",
                [CareExtension.text("kind", target["kind"]), CareExtension.text("units", target["units"])]
                    + [CareOutcomeValue(target, in: zone(of: version)).extension])
        }
        var request = resource("ServiceRequest", of: version, extensions: extensions, hasNotes: true)
        request["identifier"] = [
            ["system": .string(CareExtension.prefix + "version"), "value": .string(version.uuid.uuidString)]
        ]
        request["requisition"] = Self.identifier(version)
        let isDeleted = contents.currentVersion(of: .init(version)) == nil
        request["status"] = isCurrent ? "active" : isDeleted ? "revoked" : "completed"
        request["intent"] = "plan"
        request["code"] = ["text": title(of: version)]
        request["subject"] = CareViewIdentity.reference(subject)
        if let element { request["occurrenceTiming"] = CareTiming.timing(element) }
        request.set("authoredOn", time("createdDate", of: version))
        request.set("note", elements: annotations(of: version))
        request.set("patientInstruction", FHIRText.string(object["instructions"]).map { .string($0) })
        return request
    }

    private mutating func addEvent(
        _ outcome: CareEntity, _ event: CareEvent.Key, of version: CareEntity, task: CareTask?
    ) {
        // Without its event, an outcome refers to the first element.
        let found = task.flatMap { try? $0.schedule.event(occurrence: event.occurrence, &budget) }
        let request = CareViewIdentity.reference(Self.request(version.uuid, element: found?.element ?? 0))
        var resource = resource(
            "Task", of: outcome,
            extensions: [CareExtension.integer("occurrenceIndex", event.occurrence)], hasNotes: true)
        resource["identifier"] = [Self.identifier(outcome)]
        resource["status"] = "completed"
        resource["intent"] = "plan"
        resource["description"] = title(of: version)
        resource["focus"] = request
        resource["for"] = CareViewIdentity.reference(subject)
        if let found, let element = task?.schedule.elements[found.element] {
            let zone = element.calendar.timeZone
            var period: JSON = ["start": FHIRText.dateTime(found.start, in: zone)]
            if found.end >= found.start { period["end"] = FHIRText.dateTime(found.end, in: zone) }
            resource["executionPeriod"] = period
        }
        resource.set("authoredOn", time("createdDate", of: outcome))
        resource.set("note", elements: annotations(of: outcome))
        let values = outcome.object["values"]?.array ?? []
        var outputs: [JSON] = []
        for (index, json) in values.enumerated() {
            let uuid = CareViewIdentity.derived(from: outcome.uuid, "value", index: index)
            let value = CareOutcomeValue(json, in: zone(of: outcome))
            let code: JSON = ["text": FHIRText.string(json["kind"]).map { .string($0) } ?? title(of: version)]
            var observation: JSON = [
                "resourceType": "Observation", "basedOn": [request], "status": "final", "code": code,
                "subject": CareViewIdentity.reference(subject),
            ]
            observation.set("extension", elements: value.extensions)
            observation.set("effectiveDateTime", value.created)
            if let element = value.element { observation["value" + element.type] = element.value }
            outputs.append(["type": code, "valueReference": CareViewIdentity.reference(uuid)])
            add(uuid, observation)
        }
        resource.set("output", elements: outputs)
        add(outcome.uuid, resource)
    }
}
