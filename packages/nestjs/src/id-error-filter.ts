import { httpRefusalOf } from '@ids/config/plugin';
import { IdError } from '@ids/core';
import {
  type ArgumentsHost,
  Catch,
  InternalServerErrorException,
  Logger,
  ServiceUnavailableException,
} from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { type Observable, throwError } from 'rxjs';

/**
 * Answers HTTP requests that got no id: 503 with `Retry-After` if the same call may succeed later, otherwise
 * 500. The log gets the error; the answer names no backend. Clients of microservices get `code` and
 * `retryable`, those of a gateway with this filter the event `exception`; others get the error as it is. For
 * the whole application:
 * `providers: [{ provide: APP_FILTER, useClass: IdErrorFilter }]`.
 */
export class IdErrorFilter extends BaseExceptionFilter {
  readonly #logger = new Logger('ids');

  override catch(error: IdError, host: ArgumentsHost): Observable<never> | undefined {
    const type = host.getType<string>();
    if (!['http', 'rpc', 'ws'].includes(type)) throw error;
    this.#logger.error(`${error.code}: ${error.message}`, error.stack);
    // A client would wait for its answer for ever if this threw.
    if (type === 'rpc') return throwError(() => error);
    const { status, message, retryAfter } = httpRefusalOf(error);
    if (type === 'ws') {
      // As Nest answers other errors. If this threw, the process would end.
      host.switchToWs().getClient().emit('exception', { status: 'error', message });
      return undefined;
    }
    if (retryAfter !== undefined) {
      const adapter = this.applicationRef ?? this.httpAdapterHost?.httpAdapter;
      adapter?.setHeader?.(host.switchToHttp().getResponse(), 'retry-after', retryAfter);
    }
    const Refusal = status === 503 ? ServiceUnavailableException : InternalServerErrorException;
    super.catch(new Refusal(message), host);
    return undefined;
  }
}

// What the decorator does, for code whose types are just stripped.
Catch(IdError)(IdErrorFilter);
