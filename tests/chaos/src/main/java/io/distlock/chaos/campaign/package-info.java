/** The course of a campaign: servers, clients, faults, and the report. */
@NullMarked
package io.distlock.chaos.campaign;

import org.jspecify.annotations.NullMarked;
