package io.distlock.applications.accounts;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** JPA in a database that refuses stale holders. */
@SpringBootApplication
class AccountsApplication {}
