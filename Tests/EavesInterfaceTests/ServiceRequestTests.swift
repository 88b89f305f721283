// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Testing

protocol Repo<Item>: Sendable {
    associatedtype Item
}

protocol Table<Row, Key>: Sendable {
    associatedtype Key
    associatedtype Row
}

@Suite("the words for requests, needs, scopes and places")
struct ServiceRequestTests {
    @Test("a request shows the service, its arguments and its name")
    func request() {
        let plain = ServiceRequest((any UserService).self)
        #expect(plain.description == "UserService")
        #expect(plain.qualifiedService == "CommonInterface.UserService")
        let full = ServiceRequest(
            (any UserService).self, name: "admin", arguments: [String.self, Int?.self])
        #expect(full.description == "UserService(String, Optional<Int>) named 'admin'")
        #expect(full.arguments == ["String", "Optional<Int>"])
        #expect(full.name == "admin")
    }

    @Test("a protocol with types of its own is shown as it is written")
    func constrained() {
        let one = ServiceRequest((any Repo<Int>).self, arguments: [[(any Repo<String>)?].self])
        #expect(one.service == "any Repo<Int>")
        #expect(one.qualifiedService == "any EavesInterfaceTests.Repo<Swift.Int>")
        #expect(one.arguments == ["Array<Optional<any Repo<String>>>"])
        #expect(
            ServiceRequest((any Repo<any Repo<@Sendable (Int) -> [Int]>>).self).service
                == "any Repo<any Repo<@Sendable (Int) -> Array<Int>>>")
        // The runtime does not know in which order these are written.
        #expect(
            ServiceRequest((any Table<Int, [String: Bool]>).self).service
                == "any Table<Key == Dictionary<String, Bool>, Row == Int>")
    }

    @Test("a feature is shown by its name")
    func feature() {
        let login = ServiceRequest((any Feature).self, name: "login")
        #expect(login.description == "feature 'login'")
        #expect(login.qualifiedService == "EavesInterface.Feature")
        #expect(login.service == "Feature")
        #expect(ServiceRequest((any Feature).self).description == "Feature")
    }

    @Test("the same name of another module is another request")
    func sameName() {
        enum Elsewhere {
            struct UserService {}
        }
        let other = ServiceRequest(Elsewhere.UserService.self)
        #expect(other.service == ServiceRequest((any UserService).self).service)
        #expect(other != ServiceRequest((any UserService).self))
    }

    @Test("a need keeps the request, the types and how the service is used")
    func needs() {
        let service = ServiceNeed.service((any UserService).self)
        #expect(service.request == ServiceRequest((any UserService).self))
        #expect(service.service == ObjectIdentifier((any UserService).self))
        #expect(service.arguments.isEmpty)
        #expect(service.use == .kept)
        let own = ServiceNeed.own((any UserService).self, name: "x")
        #expect(own.use == .own)
        #expect(own.request.name == "x")
        let later = ServiceNeed.later((any UserService).self, arguments: Int.self, String.self)
        #expect(later.use == .later)
        #expect(later.arguments == [ObjectIdentifier(Int.self), ObjectIdentifier(String.self)])
        #expect(later.request.description == "UserService(Int, String)")
    }

    @Test("scopes of the same name are the same scope")
    func scopes() {
        #expect(Scope.named("session") == Scope.named("session"))
        #expect(Scope.named("session") != Scope.named("request"))
        #expect(Scope.named("graph") != .graph)
        #expect(Scope.named("transient") != .transient)
        #expect(Scope.named("graph").name == "graph")
        let names = [Scope.transient, .graph, .shared, .weak].map(\.name)
        #expect(names == ["transient", "graph", "shared", "weak"])
    }

    @Test("a place shows the file and the line")
    func place() {
        let place = SourcePlace(fileID: "Users/UsersModule.swift", line: 12)
        #expect(place.description == "Users/UsersModule.swift:12")
        #expect(SourcePlace("eaves_register").line == 0)
    }
}
