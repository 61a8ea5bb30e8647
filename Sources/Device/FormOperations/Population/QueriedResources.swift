import FHIR
import FHIRPath
import FHIRSearch
import Foundation

/// Resources in memory on which the queries of a form are executed: `Observation?code=29463-7&_sort=-date`, or a read,
/// `Patient/7` (<https://hl7.org/fhir/uv/sdc/expressions.html#fhirquery>).
///
/// ```swift
/// let resources = QueriedResources(bundle)
/// let (found, problem) = resources.result(of: "Observation?code=29463-7&patient=Patient/7", now: .now())
/// ```
public struct QueriedResources: Sendable {
    /// A resource with its searchable values.
    struct Record: Sendable {
        let resource: JSONObject
        let type: String
        /// The address in the Bundle.
        let address: String?
        let values: SearchValues
    }

    let records: [Record]
    let byType: [String: [Int]]
    /// The records by `Type/id`, and by their addresses.
    let byAddress: [String: Int]
    /// The base URLs of the addresses.
    let bases: [String]
    /// The limits of a query.
    public var limits = OperationLimits()

    /// Creates the collection of a Bundle's resources.
    public init(_ bundle: FHIR.Bundle) {
        self.init(
            (bundle.object["entry"]?.array ?? []).compactMap { entry in
                entry["resource"]?.object.map { (entry["fullUrl"]?.string, Resource($0)) }
            })
    }

    /// Creates the collection of resources.
    public init(_ resources: [Resource]) { self.init(resources.map { (nil, $0) }) }

    private init(_ resources: [(address: String?, resource: Resource)]) {
        var records: [Record] = []
        var byType: [String: [Int]] = [:]
        var byAddress: [String: Int] = [:]
        var bases: Set<String> = []
        for (address, resource) in resources {
            guard let values = SearchValues(of: resource) else { continue }
            let index = records.count
            let type = resource.resourceType
            records.append(Record(resource: resource.object, type: type, address: address, values: values))
            byType[type, default: []].append(index)
            if let id = resource.id, byAddress["\(type)/\(id)"] == nil { byAddress["\(type)/\(id)"] = index }
            guard let address else { continue }
            if byAddress[address] == nil { byAddress[address] = index }
            if let base = LiteralReference(address)?.base { bases.insert(base) }
        }
        self.records = records
        self.byType = byType
        self.byAddress = byAddress
        self.bases = bases.sorted()
    }

    /// The Observations, for a population by observation.
    public var observations: [Observation] {
        (byType[Observation.resourceType] ?? []).map { Observation(records[$0].resource) }
    }

    /// Returns the ids of the resources of a type, in their order.
    public func ids(of type: String) -> [String] {
        (byType[type] ?? []).compactMap { records[$0].resource["id"]?.string }
    }

    /// Executes a query whose expressions in `{{ }}` are already replaced.
    ///
    /// - Parameters:
    ///   - query: a search such as `Observation?code=29463-7`, or a read such as `Patient/7`; percent-encoded or not.
    ///   - now: the time to which the prefix `ap` of dates refers.
    /// - Returns: a Bundle of the type searchset, or the resource of a read; nil if there is no such resource, and with a
    ///   warning if the query is invalid: `query-invalid` if it is not a query, `query-value-missing` for a parameter
    ///   without a value, otherwise the code of the search, such as `parameter-unknown`. The problem contains no value.
    public func result(of query: String, now: DateTime) -> (resource: Resource?, problem: OperationProblem?) {
        do throws(QueryFault) {
            return (try BundleSearch(self, query: query, now: now).result(), nil)
        } catch {
            return (
                nil,
                OperationProblem(
                    code: error.code, severity: .warning, expression: error.name, message: error.message)
            )
        }
    }
}

extension QueriedResources {
    /// Returns a resolver for the queries of a session's expressions. A query without a result, and an invalid query,
    /// count as no data.
    ///
    /// ```swift
    /// var context = FormContext()
    /// context.query = QueriedResources(bundle).resolver(now: .now()) { print($0) }
    /// let session = FormSession(form, context: context)
    /// ```
    ///
    /// - Parameter failed: receives the problem of each invalid query.
    public func resolver(
        now: DateTime, failed: @escaping @Sendable (OperationProblem) -> Void
    ) -> @Sendable (String) -> [FHIRPathValue]? {
        { query in
            let (found, problem) = result(of: query, now: now)
            if let problem { failed(problem) }
            return found.map { [.element(TypedElement(resource: $0.object))] } ?? []
        }
    }
}

/// The reason why a query is not executed.
struct QueryFault: Error {
    let code: String
    /// The query without its values.
    let name: String
    let message: String
}
